package dev.reprise.softgpu.profile;

/** Pins what a kernel does in a test; each check throws {@link AssertionError} or returns this. */
public final class ProfileAssert {
  private final KernelProfile profile;

  private ProfileAssert(KernelProfile profile) {
    this.profile = profile;
  }

  /** Checks of a kernel or of a launch. */
  public static ProfileAssert assertThat(KernelProfile profile) {
    return new ProfileAssert(profile);
  }

  /** Mean sectors of a global load. */
  public Figure sectorsPerLoad() {
    return new Figure("sectors per global load", profile.sectorsPerLoad());
  }

  /** Mean sectors of a global store. */
  public Figure sectorsPerStore() {
    return new Figure("sectors per global store", profile.sectorsPerStore());
  }

  /** Wavefronts of shared memory that bank conflicts cost. */
  public Figure bankConflicts() {
    return new Figure("extra wavefronts of shared memory", profile.bankConflicts());
  }

  /** Branches at which lanes of a warp parted. */
  public Figure divergentBranches() {
    return new Figure("divergent branches", profile.divergentBranches());
  }

  /** Mean lanes of an instruction. */
  public Figure lanesPerInstruction() {
    return new Figure("lanes per instruction", profile.lanesPerInstruction());
  }

  /** Floating-point operations. */
  public Figure flops() {
    return new Figure("flops", profile.flops());
  }

  /** A counter by its name. */
  public Figure count(String name) {
    return new Figure(name, profile.count(name));
  }

  /** Checks of one number. */
  public final class Figure {
    private final String what;
    private final double value;

    private Figure(String what, double value) {
      this.what = what;
      this.value = value;
    }

    /** It is exactly this. */
    public ProfileAssert isEqualTo(double expected) {
      return check(value == expected, "", expected);
    }

    /** It is this or less. */
    public ProfileAssert isAtMost(double expected) {
      return check(value <= expected, "at most ", expected);
    }

    /** It is this or more. */
    public ProfileAssert isAtLeast(double expected) {
      return check(value >= expected, "at least ", expected);
    }

    private ProfileAssert check(boolean holds, String how, double expected) {
      if (!holds) {
        throw new AssertionError(
            "kernel %s (%d launches): %s should be %s%s but is %s; counts %s"
                .formatted(
                    profile.kernel(),
                    profile.launches(),
                    what,
                    how,
                    expected,
                    value,
                    profile.counts()));
      }
      return ProfileAssert.this;
    }
  }
}
