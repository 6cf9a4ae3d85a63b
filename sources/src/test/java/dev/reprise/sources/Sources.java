package dev.reprise.sources;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The hand-written Java sources of the tree. */
final class Sources {

  private Sources() {}

  /** All of them below a folder, tests included; build folders are not entered. */
  static List<Path> of(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = String.valueOf(folder.getFileName());
            return name.equals("target") || name.equals(".git")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String path = file.toString();
            if (path.endsWith(".java")
                && (path.contains("/src/main/java/") || path.contains("/src/test/java/"))) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }
}
