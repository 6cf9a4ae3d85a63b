/**
 * What the runtime reports about its objects: which are alive, which leaked, what failed late.
 *
 * {@snippet class="dev.reprise.cuda.snippets.ListenerTest" region="listener"}
 */
@NullMarked
package dev.reprise.cuda.diagnostics;

import org.jspecify.annotations.NullMarked;
