// Two or four consecutive elements as one access: their address is a multiple of their size.
template <typename T, int N> struct Vector;
template <> struct Vector<float, 2> { typedef float2 type; };
template <> struct Vector<float, 4> { typedef float4 type; };
template <> struct Vector<double, 2> { typedef double2 type; };
template <> struct Vector<int, 2> { typedef int2 type; };
template <> struct Vector<int, 4> { typedef int4 type; };
template <> struct Vector<long long, 2> { typedef longlong2 type; };
template <> struct Vector<unsigned char, 2> { typedef uchar2 type; };
template <> struct Vector<unsigned char, 4> { typedef uchar4 type; };
template <> struct Vector<bool, 2> { typedef uchar2 type; };
template <> struct Vector<bool, 4> { typedef uchar4 type; };
