package dev.reprise.benchmarks.softgpu;

import org.openjdk.jmh.annotations.Fork;

/** {@link InstructionRate} in a JVM that has the Vector API, which the software GPU then uses. */
@Fork(
    value = 2,
    jvmArgsAppend = {
      "--enable-native-access=ALL-UNNAMED",
      "-XX:+UseSerialGC",
      "--add-modules",
      "jdk.incubator.vector"
    })
public class VectorInstructionRate extends InstructionRate {}
