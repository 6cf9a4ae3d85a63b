package dev.reprise.softgpu.engine.decode;

/** What a name in a function body stands for. */
sealed interface Symbol
    permits VirtualRegister,
        Place,
        LabelTarget,
        TargetList,
        VectorRegister,
        Prototype,
        CodeAddress {}
