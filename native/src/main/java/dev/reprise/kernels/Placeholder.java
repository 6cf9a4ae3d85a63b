package dev.reprise.kernels;

final class Placeholder {}
