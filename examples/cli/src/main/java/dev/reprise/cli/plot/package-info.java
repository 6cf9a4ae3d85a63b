/** Charts in files. */
@NullMarked
package dev.reprise.cli.plot;

import org.jspecify.annotations.NullMarked;
