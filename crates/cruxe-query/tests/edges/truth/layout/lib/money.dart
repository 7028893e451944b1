class Base {}
int addUp(int a, int b) => a + b;
