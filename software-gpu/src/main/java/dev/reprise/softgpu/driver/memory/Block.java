package dev.reprise.softgpu.driver.memory;

import dev.reprise.softgpu.memory.Allocation;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * One range of memory that the driver handed out.
 *
 * @param allocation the addresses
 * @param kind where it came from
 * @param flags the flags it was made with
 * @param owner the context or the device it belongs to; who can access it, for {@link
 *     MemoryKind#VIRTUAL} and {@link MemoryKind#GRAPH}
 * @param pool the pool it came from, for {@link MemoryKind#POOL}
 * @param arena what keeps pinned and imported memory alive; null where the memory belongs to
 *     somebody else
 * @param id unique for the life of the process
 */
public record Block(
    Allocation allocation,
    MemoryKind kind,
    int flags,
    Object owner,
    @Nullable MemoryPool pool,
    @Nullable Arena arena,
    long id) {}
