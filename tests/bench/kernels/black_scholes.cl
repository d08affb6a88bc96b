float cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float v = 0.39894228f * exp(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - v : v;
}

kernel void k(global const float *price, global const float *strike, global const float *years, global float *call, global float *put, float rate, float volatility)
{
    INDEX i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float root = sqrt(t), d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    float discount = exp(-rate * t);
    call[i] = s * cnd(d1) - x * discount * cnd(d2);
    put[i] = x * discount * cnd(-d2) - s * cnd(-d1);
}
