package dev.reprise.softgpu.driver.sanitizer;

import dev.reprise.softgpu.sanitizer.CallStack;
import dev.reprise.softgpu.sanitizer.Report.Role;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stacks by role. */
final class Stacks {

  private Stacks() {}

  /** Those of a launch. */
  static Map<Role, CallStack> of(@Nullable CallStack launched, @Nullable CallStack captured) {
    Map<Role, CallStack> stacks = new EnumMap<>(Role.class);
    put(stacks, Role.LAUNCH, launched);
    put(stacks, Role.CAPTURE, captured);
    return stacks;
  }

  /** These and those of an allocation. */
  static Map<Role, CallStack> with(
      Map<Role, CallStack> stacks, AllocationLog.@Nullable Entry entry) {
    Map<Role, CallStack> all = new EnumMap<>(Role.class);
    all.putAll(stacks);
    if (entry != null) {
      put(all, Role.ALLOCATION, entry.allocated());
      put(all, Role.FREE, entry.freed());
    }
    return all;
  }

  static void put(Map<Role, CallStack> stacks, Role role, @Nullable CallStack stack) {
    if (stack != null) {
      stacks.put(role, stack);
    }
  }
}
