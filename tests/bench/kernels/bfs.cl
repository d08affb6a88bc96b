// A level of a breadth-first search: who has not been reached looks for a neighbour that was reached last.
kernel void k(global const int *rows, global const int *columns, global const int *a, global int *r, int level)
{
    INDEX i = get_global_id(0);
    int mine = a[i];
    if (mine < 0)
        for (INDEX j = rows[i]; j < rows[i + 1]; j++)
            if (a[columns[j]] == level) {
                mine = level + 1;
                break;
            }
    r[i] = mine;
}
