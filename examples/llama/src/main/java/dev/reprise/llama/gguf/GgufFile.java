package dev.reprise.llama.gguf;

import dev.reprise.llama.text.Quote;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An open GGUF file, version 2 or 3, little-endian (GGUF specification of the GGML project).
 *
 * <p>Opening checks the whole structure: every length, count, offset and size, before anything is
 * allocated for it. A file that is damaged, cut off or hostile gives one {@link GgufException}.
 * Thread-safe. After {@link #close} nothing of the file can be read; the attempt gives an {@link
 * IllegalStateException}.
 */
public final class GgufFile implements AutoCloseable {
  private static final int MAX_STREAM_BYTES = 1 << 30;
  private static final long DIGEST_STEP = 64L << 20;

  private final String name;
  private final MemorySegment bytes;
  private final @Nullable Arena owned;
  private final int version;
  private final GgufMetadata metadata;
  private final Map<String, GgufTensor> tensors;
  private @Nullable String digest;

  private GgufFile(MemorySegment bytes, String name, @Nullable Arena owned) {
    this.name = name;
    this.bytes = bytes;
    this.owned = owned;
    GgufContents contents = GgufParser.parse(bytes, name);
    this.version = contents.version();
    this.metadata = contents.metadata();
    this.tensors = contents.tensors();
  }

  /**
   * Maps a file into memory and reads its head. The file must not be cut shorter while it is open.
   */
  public static GgufFile open(Path path) {
    String name = path.toString();
    if (!Files.isRegularFile(path)) {
      throw GgufException.of(
          name, Files.exists(path) ? "this is not a regular file" : "there is no such file");
    }
    return owning(
        name,
        arena -> {
          try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
          }
        });
  }

  /**
   * Copies a resource into native memory and reads its head.
   *
   * @param anchor a class of the module and package that the resource belongs to
   * @param resource the name, relative to the class
   */
  public static GgufFile openResource(Class<?> anchor, String resource) {
    return owning(
        resource,
        arena -> {
          try (InputStream in = anchor.getResourceAsStream(resource)) {
            if (in == null) {
              throw GgufException.of(
                  resource, "there is no such resource beside " + anchor.getName());
            }
            return copy(in, resource, arena);
          }
        });
  }

  /**
   * Copies all that a stream gives, 1 GiB at most, into native memory and reads its head. The
   * caller closes the stream.
   */
  public static GgufFile read(InputStream in, String name) {
    return owning(name, arena -> copy(in, name, arena));
  }

  /**
   * Reads the head of a file that is in memory. The memory stays the caller's, and must not change.
   */
  public static GgufFile of(MemorySegment bytes, String name) {
    return new GgufFile(bytes.asReadOnly(), name, null);
  }

  /** The name the file was opened under; messages begin with it. */
  public String name() {
    return name;
  }

  /** The version of the format, 2 or 3. */
  public int version() {
    return version;
  }

  /** The size of the file in bytes. */
  public long size() {
    return bytes.byteSize();
  }

  /** The metadata. */
  public GgufMetadata metadata() {
    return metadata;
  }

  /** All tensors in the order of the file, of whatever type. */
  public List<GgufTensor> tensors() {
    return List.copyOf(tensors.values());
  }

  /** Whether there is such a tensor. */
  public boolean hasTensor(String tensor) {
    return tensors.containsKey(tensor);
  }

  /**
   * A tensor of a supported type, F32 or F16. Fails when there is none of that name, or when it has
   * another type.
   */
  public GgufTensor tensor(String tensor) {
    GgufTensor found = tensors.get(tensor);
    if (found == null) {
      throw GgufException.of(
          name, "there is no tensor " + Quote.quote(tensor) + " among its " + tensors.size());
    }
    if (!found.type().supported()) {
      throw GgufException.of(
          name,
          "tensor "
              + Quote.quote(tensor)
              + " is "
              + found.type()
              + ", supported: "
              + GgufTensorType.supportedNames()
              + "; convert the model to one of these");
    }
    return found;
  }

  /** The number of elements in all tensors: the model's parameters. */
  public long parameters() {
    return tensors.values().stream().mapToLong(GgufTensor::elements).sum();
  }

  /** The SHA-256 of the file in hexadecimal. Reads the whole file the first time. */
  public synchronized String digest() {
    if (digest == null) {
      MessageDigest sha = sha256();
      for (long at = 0; at < bytes.byteSize(); at += DIGEST_STEP) {
        sha.update(bytes.asSlice(at, Math.min(DIGEST_STEP, bytes.byteSize() - at)).asByteBuffer());
      }
      digest = HexFormat.of().formatHex(sha.digest());
    }
    return digest;
  }

  /** Releases the memory. Idempotent. */
  @Override
  public void close() {
    if (owned != null && owned.scope().isAlive()) {
      owned.close();
    }
  }

  @Override
  public String toString() {
    return name + " (GGUF " + version + ", " + tensors.size() + " tensors)";
  }

  private interface Source {
    MemorySegment load(Arena arena) throws IOException;
  }

  /** The file that is returned closes the arena; every other way out of here does so too. */
  @SuppressWarnings("MustBeClosedChecker")
  private static GgufFile owning(String name, Source source) {
    Arena arena = Arena.ofShared();
    try {
      return new GgufFile(source.load(arena), name, arena);
    } catch (IOException e) {
      arena.close();
      throw GgufException.of(name, "cannot read it: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private static MemorySegment copy(InputStream in, String name, Arena arena) throws IOException {
    byte[] all = in.readNBytes(MAX_STREAM_BYTES);
    if (in.read() >= 0) {
      throw GgufException.of(
          name, "it is larger than " + MAX_STREAM_BYTES + " bytes; open it as a file");
    }
    MemorySegment copy = arena.allocate(all.length, 64);
    return copy.copyFrom(MemorySegment.ofArray(all)).asReadOnly();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
