// A diagonal of Needleman and Wunsch's table, in place.
kernel void k(global const uchar *a, global const uchar *b, global int *table, int n, int diagonal, int first)
{
    INDEX y = first + get_global_id(0), x = diagonal - y;
    INDEX at = y * (n + 1) + x;
    int beside = max(table[at - 1], table[at - n - 1]) - 1;
    table[at] = max(beside, table[at - n - 2] + (a[x - 1] == b[y - 1] ? 1 : -1));
}
