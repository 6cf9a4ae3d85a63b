package dev.reprise.llama;

final class Placeholder {}
