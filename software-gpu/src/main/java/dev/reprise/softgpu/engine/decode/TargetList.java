package dev.reprise.softgpu.engine.decode;

import java.util.List;

/** {@code .branchtargets}. */
record TargetList(List<String> labels) implements Symbol {}
