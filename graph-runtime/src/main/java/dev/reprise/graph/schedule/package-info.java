/**
 * Who runs next: a bounded queue with priorities, fair shares and deadlines, admission by free KV
 * blocks, chunks of prompts between decode steps, and preemption. Decisions only: nothing here
 * talks to a device, and the same calls give the same decisions.
 */
@NullMarked
package dev.reprise.graph.schedule;

import org.jspecify.annotations.NullMarked;
