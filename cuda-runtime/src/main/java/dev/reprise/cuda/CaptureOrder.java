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

  /** What precedes a point of a capture: how many operations of each stream. */
  static final class Position {
    private final int[] known;

    private Position(int[] known) {
      this.known = known;
    }
  }

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
  Position position(Stream stream) {
    return new Position(known.get(enter(stream)).clone());
  }

  /** Lets a stream wait for a position; the stream takes part from then on. */
  void waitFor(Stream stream, Position position) {
    int[] before = position.known;
    int index = enter(stream);
    int[] mine = known.get(index);
    if (mine.length < before.length) {
      mine = Arrays.copyOf(mine, before.length);
      known.set(index, mine);
    }
    for (int i = 0; i < before.length; i++) {
      mine[i] = Math.max(mine[i], before[i]);
    }
  }

  /** Whether the latest operation of a stream comes after a position, or is at it. */
  boolean precedes(Position position, Stream stream) {
    int[] mine = known.get(enter(stream));
    for (int i = 0; i < position.known.length; i++) {
      if ((i < mine.length ? mine[i] : 0) < position.known[i]) {
        return false;
      }
    }
    return true;
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
