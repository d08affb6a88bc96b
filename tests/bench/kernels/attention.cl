// One query for each head, over a cache of keys and values: a work-group a head, which keeps the scores in local memory.
kernel void k(global const float *q, global const float *keys, global const float *values, global float *r, local float *scores,
              local float *shared, int size, int length)
{
    INDEX head = get_group_id(0), me = get_local_id(0), items = get_local_size(0);
    float most = -INFINITY;
    for (INDEX t = me; t < length; t += items) {
        float score = 0;
        for (INDEX i = 0; i < size; i++)
            score += q[head * size + i] * keys[(head * size + i) * length + t];
        score *= rsqrt((float)size);
        scores[t] = score;
        most = fmax(most, score);
    }
    shared[me] = most;
    for (INDEX step = items / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step)
            shared[me] = fmax(shared[me], shared[me + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    most = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (INDEX t = me; t < length; t += items) {
        float e = exp(scores[t] - most);
        scores[t] = e;
        sum += e;
    }
    shared[me] = sum;
    for (INDEX step = items / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step)
            shared[me] += shared[me + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (INDEX i = me; i < size; i += items) {
        float value = 0;
        for (INDEX t = 0; t < length; t++)
            value += scores[t] * values[(head * length + t) * size + i];
        r[head * size + i] = value / shared[0];
    }
}
