package dev.reprise.softgpu;

final class Placeholder {}
