package dev.reprise.softgpu.inspect;

import java.util.List;

/**
 * A kernel of a PTX text ({@code .entry}).
 *
 * @param name its symbol
 * @param line where it begins
 * @param parameters in the order of a launch's arguments
 * @param instructions in its own body, as written
 * @param resources what it needs; all zero where it could not be decoded
 */
public record PtxKernel(
    String name, int line, List<Parameter> parameters, int instructions, Resources resources) {

  /**
   * A parameter.
   *
   * @param name its name in the PTX
   * @param type such as {@code u64}, or {@code b8[16]} for a structure
   * @param bytes its size
   */
  public record Parameter(String name, String type, int bytes) {}

  /**
   * What a kernel needs.
   *
   * @param sharedBytes shared memory of its variables, for each block; dynamic memory comes on top
   * @param localBytes local memory of each thread
   * @param registers of each thread, estimated from the PTX
   * @param maxThreads most threads of a block
   */
  public record Resources(int sharedBytes, int localBytes, int registers, int maxThreads) {}
}
