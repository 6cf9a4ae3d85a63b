package dev.reprise.cuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which captured operations precede which, as a vector clock of the streams that take part.
 *
 * <p>Each stream counts its own operations, and knows how many of each other stream precede it. A
 * stream is joined when the origin knows all of its operations.
 */
final class CaptureOrder {

  private final List<Stream> streams = new ArrayList<>();
  private final List<int[]> known = new ArrayList<>();

  CaptureOrder(Stream origin) {
    enter(origin);
  }

  private int enter(Stream stream) {
    int index = streams.indexOf(stream);
    if (index < 0) {
      index = streams.size();
      streams.add(stream);
      known.add(new int[index + 1]);
    }
    return index;
  }

  /** The streams that take part, the origin first. */
  List<Stream> streams() {
    return streams;
  }

  /** Notes an operation of a stream. */
  void advance(Stream stream) {
    int index = enter(stream);
    known.get(index)[index]++;
  }

  /** What precedes the next operation of a stream. */
  int[] position(Stream stream) {
    return known.get(enter(stream)).clone();
  }

  /** Lets a stream wait for a position; the stream takes part from then on. */
  void waitFor(Stream stream, int[] position) {
    int index = enter(stream);
    int[] mine = known.get(index);
    if (mine.length < position.length) {
      mine = Arrays.copyOf(mine, position.length);
      known.set(index, mine);
    }
    for (int i = 0; i < position.length; i++) {
      mine[i] = Math.max(mine[i], position[i]);
    }
  }

  /** The streams with work that the origin does not wait for. */
  List<Stream> unjoined() {
    int[] origin = known.get(0);
    List<Stream> unjoined = new ArrayList<>();
    for (int i = 1; i < streams.size(); i++) {
      int reached = i < origin.length ? origin[i] : 0;
      if (reached < known.get(i)[i]) {
        unjoined.add(streams.get(i));
      }
    }
    return unjoined;
  }
}
