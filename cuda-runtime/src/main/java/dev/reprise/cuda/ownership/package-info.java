/**
 * Who owns a driver object and when it may be released: handle nodes with parents, the last use of
 * each by a stream, and a queue that retires what the GPU no longer uses. Knows no driver call.
 */
@NullMarked
package dev.reprise.cuda.ownership;

import org.jspecify.annotations.NullMarked;
