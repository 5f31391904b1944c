// A cuSPARSE that is none: it computes on the processor, at whose memory the arrays of the driver beside it are. It
// refuses what it is not asked for here, and traces what it is.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Elements are f32 (0) or f64 (1).
typedef struct { int64_t rows, cols, n; int *pos, *crd; void *vals; int type; } Sparse;
typedef struct { int64_t rows, cols, ld; void *vals; int type, order; } Dense;
typedef struct { void *stream; } Handle;

static double get(const void *vals, int type, int64_t at) {
  return type ? ((const double *)vals)[at] : ((const float *)vals)[at];
}
static void put(void *vals, int type, int64_t at, double value) {
  if (type) ((double *)vals)[at] = value;
  else ((float *)vals)[at] = (float)value;
}

static void trace(const char *call, int algorithm, long size) {
  const char *path = getenv("FAKE_CUSPARSE_TRACE");
  FILE *file = path ? fopen(path, "a") : 0;
  if (file) {
    fprintf(file, "%s %d %ld\n", call, algorithm, size);
    fclose(file);
  }
}
// Values are too large by so much.
static int wrong(void) { return getenv("FAKE_CUSPARSE_WRONG") != 0; }
// Products of sparse matrices find no room.
static int full(void) { return getenv("FAKE_CUSPARSE_FULL") != 0; }

int cusparseCreate(Handle **handle) { *handle = calloc(1, sizeof(Handle)); return 0; }
int cusparseDestroy(Handle *handle) { free(handle); return 0; }
int cusparseSetStream(Handle *handle, void *stream) { handle->stream = stream; return stream ? 0 : 3; }
int cusparseGetVersion(Handle *handle, int *version) { *version = 12509; return handle->stream ? 0 : 3; }

int cusparseCreateCsr(Sparse **made, int64_t rows, int64_t cols, int64_t n, void *pos, void *crd, void *vals, int ptype,
                      int ctype, int base, int type) {
  // 32-bit indices from 0.
  if (ptype != 2 || ctype != 2 || base || type < 0 || type > 1) return 3;
  *made = malloc(sizeof(Sparse));
  **made = (Sparse){rows, cols, n, pos, crd, vals, type};
  return 0;
}
int cusparseCreateDnMat(Dense **made, int64_t rows, int64_t cols, int64_t ld, void *vals, int type, int order) {
  // By rows.
  if (type < 0 || type > 1 || order != 2 || ld < cols) return 3;
  *made = malloc(sizeof(Dense));
  **made = (Dense){rows, cols, ld, vals, type, order};
  return 0;
}
int cusparseCreateDnVec(Dense **made, int64_t n, void *vals, int type) {
  if (type < 0 || type > 1) return 3;
  *made = malloc(sizeof(Dense));
  **made = (Dense){n, 1, 1, vals, type, 0};
  return 0;
}
int cusparseDestroySpMat(Sparse *m) { free(m); return 0; }
int cusparseDestroyDnMat(Dense *m) { free(m); return 0; }
int cusparseDestroyDnVec(Dense *m) { free(m); return 0; }

// A·B into C, whose old values count by `beta`.
static int product(const void *alpha, const Sparse *a, const Dense *b, const void *beta, Dense *c, int type) {
  if (a->cols != b->rows || a->rows != c->rows || b->cols != c->cols) return 3;
  if (a->type != type || b->type != type || c->type != type) return 3;
  double one = get(alpha, type, 0), zero = get(beta, type, 0);
  for (int64_t i = 0; i < a->rows; i++)
    for (int64_t k = 0; k < b->cols; k++) {
      double sum = 0;
      for (int p = a->pos[i]; p < a->pos[i + 1]; p++)
        sum += get(a->vals, type, p) * get(b->vals, type, a->crd[p] * b->ld + k);
      int64_t to = i * c->ld + k;
      put(c->vals, type, to, one * sum + (zero ? zero * get(c->vals, type, to) : 0) + wrong());
    }
  return 0;
}

#define SPMM Handle *h, int opa, int opb, const void *alpha, Sparse *a, Dense *b, const void *beta, Dense *c, int type, int alg
int cusparseSpMM_bufferSize(SPMM, size_t *size) {
  trace("spmm size", alg, 0);
  *size = 100 + alg;
  // As the real one refuses some: CSR_ALG3.
  return opa || opb ? 3 : alg == 12 ? 10 : 0;
}
int cusparseSpMM_preprocess(SPMM, void *buffer) {
  trace("spmm prepare", alg, 0);
  return buffer ? 0 : 3;
}
int cusparseSpMM(SPMM, void *buffer) {
  if (opa || opb || !buffer || b->order != 2 || c->order != 2) return 3;
  trace("spmm", alg, c->cols);
  return product(alpha, a, b, beta, c, type);
}

#define SPMV Handle *h, int opa, const void *alpha, Sparse *a, Dense *x, const void *beta, Dense *y, int type, int alg
int cusparseSpMV_bufferSize(SPMV, size_t *size) {
  trace("spmv size", alg, 0);
  *size = 0;
  return opa;
}
int cusparseSpMV_preprocess(SPMV, void *buffer) {
  trace("spmv prepare", alg, 0);
  return buffer ? 0 : 3;
}
int cusparseSpMV(SPMV, void *buffer) {
  if (opa || !buffer) return 3;
  trace("spmv", alg, 1);
  return product(alpha, a, x, beta, y, type);
}

#ifndef OLD
#define SDDMM Handle *h, int opa, int opb, const void *alpha, Dense *x, Dense *y, const void *beta, Sparse *s, int type, int alg
int cusparseSDDMM_bufferSize(SDDMM, size_t *size) {
  trace("sddmm size", alg, 0);
  *size = 8;
  return 0;
}
int cusparseSDDMM_preprocess(SDDMM, void *buffer) {
  trace("sddmm prepare", alg, 0);
  return buffer ? 0 : 3;
}
int cusparseSDDMM(SDDMM, void *buffer) {
  // The second factor is transposed.
  if (opa || opb != 1 || !buffer || s->type != type || x->type != type || y->type != type) return 3;
  if (x->rows != s->rows || y->rows != s->cols || x->cols != y->cols) return 3;
  trace("sddmm", alg, x->cols);
  double one = get(alpha, type, 0), zero = get(beta, type, 0);
  for (int64_t i = 0; i < s->rows; i++)
    for (int p = s->pos[i]; p < s->pos[i + 1]; p++) {
      double sum = 0;
      for (int64_t k = 0; k < x->cols; k++)
        sum += get(x->vals, type, i * x->ld + k) * get(y->vals, type, s->crd[p] * y->ld + k);
      put(s->vals, type, p, one * sum + (zero ? zero * get(s->vals, type, p) : 0) + wrong());
    }
  return 0;
}
#endif

// What has been computed of a matrix before it has room: of each column a value, and whether it is there.
typedef struct { int *pos, *crd; double *vals; int64_t room; } Rows;

static void append(Rows *rows, int i, int crd, double value) {
  if (rows->pos[i + 1] == rows->room) {
    rows->room = 2 * rows->room + 8;
    rows->crd = realloc(rows->crd, rows->room * sizeof(int));
    rows->vals = realloc(rows->vals, rows->room * sizeof(double));
  }
  rows->crd[rows->pos[i + 1]] = crd;
  rows->vals[rows->pos[i + 1]++] = value;
}
static void forget(Rows *rows) {
  free(rows->pos);
  free(rows->crd);
  free(rows->vals);
  memset(rows, 0, sizeof *rows);
}

// A product of sparse matrices, in the order that its functions have to be called in. Nothing is used twice.
enum { BEGUN, WORK_ASKED, WORK_DONE, MEMORY_ASKED, READY, COMPUTED, STORED };
typedef struct { int stage, alg; size_t work, memory, size; Rows rows; } Gemm;

int cusparseSpGEMM_createDescr(Gemm **made) { *made = calloc(1, sizeof(Gemm)); return 0; }
int cusparseSpGEMM_destroyDescr(Gemm *g) {
  forget(&g->rows);
  free(g);
  return 0;
}

#define SPGEMM Handle *h, int opa, int opb, const void *alpha, Sparse *a, Sparse *b, const void *beta, Sparse *c, int type, int alg, Gemm *g
// Is this the call after `stage`, with operands of a product?
static int follows(SPGEMM, int stage) {
  if (g->stage != stage || (stage != BEGUN && g->alg != alg) || opa || opb) return 0;
  if (get(alpha, type, 0) != 1 || get(beta, type, 0) != 0) return 0;
  g->alg = alg;
  return a->cols == b->rows && c->rows == a->rows && c->cols == b->cols && a->type == type && b->type == type &&
         c->type == type;
}
#define FOLLOWS(stage) follows(h, opa, opb, alpha, a, b, beta, c, type, alg, g, stage)
// Do algorithms ask for memory by a function of its own?
#define ESTIMATES (alg == 4 || alg == 5)

int cusparseSpGEMM_workEstimation(SPGEMM, size_t *size, void *buffer) {
  // The result is new, and its rows have a place.
  if (c->n || c->crd || c->vals || !c->pos) return 3;
  if (!buffer) {
    if (!FOLLOWS(BEGUN)) return 3;
    trace("spgemm work size", alg, 0);
    *size = g->work = 64 + a->n;
    g->stage = WORK_ASKED;
    return 0;
  }
  if (!FOLLOWS(WORK_ASKED) || *size < g->work) return 3;
  memset(buffer, 0xab, g->work);
  g->stage = WORK_DONE;
  return 0;
}

int cusparseSpGEMM_estimateMemory(SPGEMM, float chunk, size_t *own, void *buffer, size_t *size) {
  if (!ESTIMATES || !(chunk > 0 && chunk <= 1)) return 3;
  if (!buffer) {
    if (!FOLLOWS(WORK_DONE)) return 3;
    trace("spgemm memory size", alg, (long)(100 * chunk + 0.5));
    *own = g->memory = 32;
    g->stage = MEMORY_ASKED;
    return 0;
  }
  if (!FOLLOWS(MEMORY_ASKED) || *own < g->memory) return 3;
  memset(buffer, 0xab, g->memory);
  // More than any device has.
  *size = g->size = full() ? (size_t)1 << 40 : 128;
  g->stage = READY;
  return 0;
}

int cusparseSpGEMM_compute(SPGEMM, size_t *size, void *buffer) {
  if (!buffer) {
    if (ESTIMATES || !FOLLOWS(WORK_DONE)) return 3;
    *size = g->size = 256;
    g->stage = READY;
    return 0;
  }
  if (!FOLLOWS(READY) || *size < g->size) return 3;
  if (full()) return 11;
  memset(buffer, 0xab, g->size);
  trace("spgemm", alg, c->rows);
  Rows *rows = &g->rows;
  rows->pos = calloc(a->rows + 1, sizeof(int));
  double *sums = calloc(b->cols, sizeof(double));
  char *there = calloc(b->cols, 1);
  for (int64_t i = 0; i < a->rows; i++) {
    for (int p = a->pos[i]; p < a->pos[i + 1]; p++)
      for (int q = b->pos[a->crd[p]]; q < b->pos[a->crd[p] + 1]; q++) {
        there[b->crd[q]] = 1;
        sums[b->crd[q]] += get(a->vals, type, p) * get(b->vals, type, q);
      }
    rows->pos[i + 1] = rows->pos[i];
    for (int64_t n = 0; n < b->cols; n++) {
      // The first algorithm leaves rows from the last column to the first.
      int64_t k = alg == 3 ? b->cols - 1 - n : n;
      if (there[k]) append(rows, i, (int)k, sums[k] + wrong());
      there[k] = 0;
      sums[k] = 0;
    }
  }
  free(sums);
  free(there);
  c->n = rows->pos[a->rows];
  g->stage = COMPUTED;
  return 0;
}

int cusparseSpMatGetSize(const Sparse *m, int64_t *rows, int64_t *cols, int64_t *n) {
  *rows = m->rows;
  *cols = m->cols;
  *n = m->n;
  return 0;
}
int cusparseCsrSetPointers(Sparse *m, void *pos, void *crd, void *vals) {
  if (!pos || !crd || !vals) return 3;
  m->pos = pos;
  m->crd = crd;
  m->vals = vals;
  return 0;
}

int cusparseSpGEMM_copy(SPGEMM) {
  if (!FOLLOWS(COMPUTED) || !c->crd || c->n != g->rows.pos[c->rows]) return 3;
  memcpy(c->pos, g->rows.pos, (c->rows + 1) * sizeof(int));
  for (int64_t p = 0; p < c->n; p++) {
    c->crd[p] = g->rows.crd[p];
    put(c->vals, type, p, g->rows.vals[p]);
  }
  g->stage = STORED;
  return 0;
}

// A sum of sparse matrices by the older functions: rows in order.
typedef struct { int type, base; } Kind;
int cusparseCreateMatDescr(Kind **made) { *made = calloc(1, sizeof(Kind)); return 0; }
int cusparseDestroyMatDescr(Kind *kind) { free(kind); return 0; }

// Bytes of the buffer.
#define GEAM_SIZE 128
static int unite(int type, int m, int n, int na, const void *va, const int *pa, const int *ca, int nb, const void *vb,
                 const int *pb, const int *cb, Rows *rows) {
  if (m < 0 || n < 0 || pa[m] != na || pb[m] != nb) return 3;
  rows->pos = calloc(m + 1, sizeof(int));
  for (int i = 0; i < m; i++) {
    rows->pos[i + 1] = rows->pos[i];
    for (int p = pa[i], q = pb[i]; p < pa[i + 1] || q < pb[i + 1];) {
      int left = p < pa[i + 1] ? ca[p] : n, right = q < pb[i + 1] ? cb[q] : n;
      double sum = (left <= right && va ? get(va, type, p) : 0) + (right <= left && vb ? get(vb, type, q) : 0);
      append(rows, i, left < right ? left : right, sum + wrong());
      p += left <= right;
      q += right <= left;
    }
  }
  return 0;
}

int cusparseXcsrgeam2Nnz(Handle *h, int m, int n, const Kind *ka, int na, const int *pa, const int *ca, const Kind *kb,
                         int nb, const int *pb, const int *cb, const Kind *kc, int *pc, int *total, void *buffer) {
  if (ka->type || ka->base || kb->type || kc->type || !buffer) return 3;
  memset(buffer, 0xab, GEAM_SIZE);
  Rows rows = {0};
  int status = unite(0, m, n, na, 0, pa, ca, nb, 0, pb, cb, &rows);
  if (!status) {
    memcpy(pc, rows.pos, (m + 1) * sizeof(int));
    *total = rows.pos[m];
  }
  forget(&rows);
  trace("geam count", 0, m);
  return status;
}

static int geam(int type, int m, int n, const void *alpha, int na, const void *va, const int *pa, const int *ca,
                const void *beta, int nb, const void *vb, const int *pb, const int *cb, void *vc, const int *pc, int *cc,
                void *buffer) {
  if (get(alpha, type, 0) != 1 || get(beta, type, 0) != 1 || !vc || !cc || !buffer) return 3;
  Rows rows = {0};
  int status = unite(type, m, n, na, va, pa, ca, nb, vb, pb, cb, &rows);
  // Rows begin where the count has said.
  if (!status && memcmp(pc, rows.pos, (m + 1) * sizeof(int))) status = 3;
  for (int p = 0; !status && p < rows.pos[m]; p++) {
    cc[p] = rows.crd[p];
    put(vc, type, p, rows.vals[p]);
  }
  forget(&rows);
  trace("geam", type, m);
  return status;
}

#define GEAM(letter, element, type)                                                                                    \
  int cusparse##letter##csrgeam2_bufferSizeExt(                                                                        \
      Handle *h, int m, int n, const element *alpha, const Kind *ka, int na, const element *va, const int *pa,         \
      const int *ca, const element *beta, const Kind *kb, int nb, const element *vb, const int *pb, const int *cb,     \
      const Kind *kc, const element *vc, const int *pc, const int *cc, size_t *size) {                                 \
    trace("geam size", type, m);                                                                                       \
    *size = GEAM_SIZE;                                                                                                 \
    return ka->base || !pa || !pb || !pc ? 3 : 0;                                                                      \
  }                                                                                                                    \
  int cusparse##letter##csrgeam2(                                                                                      \
      Handle *h, int m, int n, const element *alpha, const Kind *ka, int na, const element *va, const int *pa,         \
      const int *ca, const element *beta, const Kind *kb, int nb, const element *vb, const int *pb, const int *cb,     \
      const Kind *kc, element *vc, int *pc, int *cc, void *buffer) {                                                   \
    return geam(type, m, n, alpha, na, va, pa, ca, beta, nb, vb, pb, cb, vc, pc, cc, buffer);                          \
  }
GEAM(S, float, 0)
GEAM(D, double, 1)
