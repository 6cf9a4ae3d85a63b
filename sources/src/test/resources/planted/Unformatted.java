package planted;

final class Unformatted {
    int twice( int x ){ return 2*x; }
}
