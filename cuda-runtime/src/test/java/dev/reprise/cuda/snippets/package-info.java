/** The programs that the pages of the public packages show, run as tests. */
@NullMarked
package dev.reprise.cuda.snippets;

import org.jspecify.annotations.NullMarked;
