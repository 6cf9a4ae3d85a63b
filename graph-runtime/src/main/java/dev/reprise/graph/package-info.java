@NullMarked
package dev.reprise.graph;

import org.jspecify.annotations.NullMarked;
