package dev.reprise.softgpu.driver.context;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.softgpu.driver.support.HandleKind;
import dev.reprise.softgpu.driver.support.Handled;
import dev.reprise.softgpu.driver.support.Handles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** A kernel of a library ({@code CUkernel}): the same for all contexts. */
public final class LibraryKernel extends Handled {

  private final CodeLibrary library;
  private final String name;
  private final MemorySegment nativeName;

  LibraryKernel(Handles handles, CodeLibrary library, String name) {
    super(handles, HandleKind.KERNEL);
    this.library = library;
    this.name = name;
    byte[] bytes = (name + '\0').getBytes(StandardCharsets.UTF_8);
    this.nativeName = Arena.ofAuto().allocateFrom(JAVA_BYTE, bytes);
  }

  /** The library it belongs to. */
  public CodeLibrary library() {
    return library;
  }

  /** Its symbol. */
  public String name() {
    return name;
  }

  /** The name as a C string that lives as long as this kernel. */
  public MemorySegment nativeName() {
    return nativeName;
  }
}
