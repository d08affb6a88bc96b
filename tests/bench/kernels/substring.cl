// Whether a pattern of eight bytes begins here.
kernel void k(global const uchar *text, constant uchar *pattern, global uchar *r)
{
    INDEX i = get_global_id(0);
    INDEX same = 0;
    while (same < 8 && text[i + same] == pattern[same])
        same++;
    r[i] = same == 8;
}
