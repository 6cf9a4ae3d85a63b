package dev.reprise.cuda;

/** How a {@link ConditionalNode} decides ({@code CUgraphConditionalNodeType}). */
public enum ConditionalKind {
  /** The first body runs once if the value is not 0; the second, if there is one, if it is 0. */
  IF(0),
  /** The body runs again and again, as long as the value is not 0. */
  WHILE(1),
  /** The body whose number is the value runs once; none does if there is no such body. */
  SWITCH(2);

  private final int code;

  ConditionalKind(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
