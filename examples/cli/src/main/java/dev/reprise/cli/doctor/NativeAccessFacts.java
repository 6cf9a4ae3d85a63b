package dev.reprise.cli.doctor;

import dev.reprise.bindings.DriverLibrary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which modules may call native code (JEP 472). Without the flag JDK 25 warns at the first call; a
 * later one refuses it, as {@code --illegal-native-access=deny} does now.
 *
 * @param enabled for each module that calls native code, whether it may
 */
record NativeAccessFacts(Map<String, Boolean> enabled) {

  private static final String UNNAMED = "ALL-UNNAMED";
  private static final List<String> MODULES =
      List.of(
          "dev.reprise.bindings", "dev.reprise.cuda", "dev.reprise.softgpu", "dev.reprise.llama");

  /** To be collected before any native call, since the first one may enable its module. */
  static NativeAccessFacts collect() {
    Map<String, Boolean> enabled = new LinkedHashMap<>();
    Module bindings = DriverLibrary.class.getModule();
    if (!bindings.isNamed()) {
      enabled.put(UNNAMED, bindings.isNativeAccessEnabled());
    } else {
      for (String name : MODULES) {
        ModuleLayer.boot()
            .findModule(name)
            .ifPresent(module -> enabled.put(name, module.isNativeAccessEnabled()));
      }
    }
    return new NativeAccessFacts(enabled);
  }

  /** The modules that may not. */
  List<String> disabled() {
    List<String> disabled = new ArrayList<>();
    enabled.forEach((module, may) -> {
      if (!may) {
        disabled.add(module);
      }
    });
    return disabled;
  }

  /** The flag that lets all of them. */
  String flag() {
    return "--enable-native-access=" + String.join(",", enabled.keySet());
  }
}
