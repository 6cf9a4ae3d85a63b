/** Text for messages. */
@NullMarked
package dev.reprise.llama.text;

import org.jspecify.annotations.NullMarked;
