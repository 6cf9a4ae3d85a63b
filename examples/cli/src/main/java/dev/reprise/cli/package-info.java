/**
 * The reprise command: its options, and what it prints. Standard output holds results, standard
 * error all else.
 */
@NullMarked
package dev.reprise.cli;

import org.jspecify.annotations.NullMarked;
