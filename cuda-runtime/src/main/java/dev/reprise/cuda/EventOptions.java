package dev.reprise.cuda;

/**
 * What kind of event the driver makes (CUDA Driver API, "Event Management", {@code cuEventCreate}).
 * Immutable.
 *
 * @param timing whether its time can be read by {@link Event#elapsedMillis}
 * @param blockingWait whether {@link Event#synchronize} gives up the processor, which saves its
 *     time and costs latency; otherwise it waits as {@link Device#setHostWait} says
 */
public record EventOptions(boolean timing, boolean blockingWait) {

  /** The cheap kind: without timing, and waited for as the device is told. */
  public static final EventOptions STANDARD = new EventOptions(false, false);

  /** These, with timing. */
  public EventOptions withTiming() {
    return new EventOptions(true, blockingWait);
  }

  /** These, with waits that give up the processor. */
  public EventOptions withBlockingWait() {
    return new EventOptions(timing, true);
  }
}
