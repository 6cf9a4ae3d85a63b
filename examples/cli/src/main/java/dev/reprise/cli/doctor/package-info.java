/**
 * What {@code reprise doctor} finds out.
 *
 * <p>Collectors gather facts, one subject each, and turn every failure into one; {@link
 * dev.reprise.cli.doctor.Findings} derives the problems from the facts alone; the renderers write
 * the diagnosis.
 */
@NullMarked
package dev.reprise.cli.doctor;

import org.jspecify.annotations.NullMarked;
