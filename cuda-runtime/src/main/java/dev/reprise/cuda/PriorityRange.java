package dev.reprise.cuda;

/**
 * The priorities that streams of a device can have; a lower number runs first.
 *
 * @param least the number of the lowest priority, which is the default
 * @param greatest the number of the highest priority
 */
public record PriorityRange(int least, int greatest) {}
