/** What commands measure of a device and a model, and how measurements are summed up and shown. */
@NullMarked
package dev.reprise.cli.measure;

import org.jspecify.annotations.NullMarked;
