/** JSON documents read strictly, with errors that name file, line and field. Not exported. */
@NullMarked
package dev.reprise.graph.json;

import org.jspecify.annotations.NullMarked;
