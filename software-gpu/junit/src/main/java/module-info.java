/** What lets tests of JUnit fail on what the sanitizer of the software GPU finds. */
module dev.reprise.softgpu.junit {
  requires transitive dev.reprise.softgpu;
  requires transitive org.junit.jupiter.api;
  requires static org.jspecify;

  exports dev.reprise.softgpu.junit;

  provides org.junit.jupiter.api.extension.Extension with
      dev.reprise.softgpu.junit.NoReports;
}
