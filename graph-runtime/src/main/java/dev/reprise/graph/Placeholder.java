package dev.reprise.graph;

final class Placeholder {}
