package dev.reprise.softgpu.driver.api;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.DeviceModel;
import dev.reprise.softgpu.driver.operation.LoadedImage;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Handles;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.engine.LoadedModule;
import dev.reprise.softgpu.memory.HostMemory;
import dev.reprise.softgpu.memory.OutOfDeviceMemoryException;
import dev.reprise.softgpu.ptx.PtxException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads code that callers pass, and loads it into contexts. */
final class Images {

  private static final int ELF_MAGIC = 0x464c457f;
  private static final int FAT_BINARY_MAGIC = 0xba55ed50;
  private static final int FAT_BINARY_WRAPPER_MAGIC = 0x466243b1;

  private Images() {}

  /** The PTX text of an image; {@code CUDA_ERROR_NO_BINARY_FOR_GPU} for machine code. */
  static String read(MemorySegment image, JitOptions options) {
    long address = CallerMemory.required(image, "image");
    int magic = CallerMemory.readInt(address);
    if (magic == ELF_MAGIC || magic == FAT_BINARY_MAGIC || magic == FAT_BINARY_WRAPPER_MAGIC) {
      String why = "the image is machine code or a fat binary; the software GPU loads PTX text";
      options.writeError(why);
      throw new CudaFailure(Result.NO_BINARY_FOR_GPU, why);
    }
    return HostMemory.ALL.getString(address);
  }

  /** The PTX text in a file. */
  static String readFile(String name) {
    try {
      return Files.readString(Path.of(name));
    } catch (IOException e) {
      throw new CudaFailure(Result.FILE_NOT_FOUND, "cannot read " + name + ": " + e.getMessage());
    }
  }

  /** Loads code into a context; writes the logs. */
  static LoadedImage load(Handles handles, Context context, String ptx, JitOptions options) {
    LoadedImage image;
    try {
      PtxHeader header = PtxHeader.read(ptx);
      LoadedModule loaded = context.device().engine().load(ptx);
      image =
          new LoadedImage(handles, loaded, context, header.version(), DeviceModel.SHARED_PER_BLOCK);
    } catch (PtxException e) {
      options.writeError("PTX error, " + e.getMessage());
      throw new CudaFailure(Result.INVALID_PTX, String.valueOf(e.getMessage()));
    } catch (OutOfDeviceMemoryException e) {
      throw new CudaFailure(Result.OUT_OF_MEMORY, String.valueOf(e.getMessage()));
    } catch (CudaFailure e) {
      options.writeError(String.valueOf(e.getMessage()));
      throw e;
    }
    options.writeInfo("");
    options.writeError("");
    return context.addImage(image);
  }
}
