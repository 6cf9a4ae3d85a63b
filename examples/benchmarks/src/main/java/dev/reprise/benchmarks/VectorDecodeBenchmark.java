package dev.reprise.benchmarks;

import org.openjdk.jmh.annotations.Fork;

/** {@link DecodeBenchmark} in a JVM that has the Vector API, which the software GPU then uses. */
@Fork(
    value = 2,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector"})
public class VectorDecodeBenchmark extends DecodeBenchmark {}
