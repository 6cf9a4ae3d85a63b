/** What {@code reprise model} prints: predictions of the performance model, labelled as such. */
@NullMarked
package dev.reprise.cli.model;

import org.jspecify.annotations.NullMarked;
