// A cuSPARSE that is none: it computes on the processor, at whose memory the arrays of the driver beside it are. It
// refuses what it is not asked for here, and traces what it is.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int64_t rows, cols, n; const int *pos, *crd; float *vals; } Sparse;
typedef struct { int64_t rows, cols, ld; float *vals; int order; } Dense;
typedef struct { void *stream; } Handle;

static void trace(const char *call, int algorithm, long size) {
  const char *path = getenv("FAKE_CUSPARSE_TRACE");
  FILE *file = path ? fopen(path, "a") : 0;
  if (file) {
    fprintf(file, "%s %d %ld\n", call, algorithm, size);
    fclose(file);
  }
}
static int wrong(void) { return getenv("FAKE_CUSPARSE_WRONG") != 0; }

int cusparseCreate(Handle **handle) { *handle = calloc(1, sizeof(Handle)); return 0; }
int cusparseDestroy(Handle *handle) { free(handle); return 0; }
int cusparseSetStream(Handle *handle, void *stream) { handle->stream = stream; return stream ? 0 : 3; }
int cusparseGetVersion(Handle *handle, int *version) { *version = 12509; return handle->stream ? 0 : 3; }

int cusparseCreateCsr(Sparse **made, int64_t rows, int64_t cols, int64_t n, void *pos, void *crd, void *vals, int ptype,
                      int ctype, int base, int type) {
  // 32-bit indices from 0, f32.
  if (ptype != 2 || ctype != 2 || base || type) return 3;
  *made = malloc(sizeof(Sparse));
  **made = (Sparse){rows, cols, n, pos, crd, vals};
  return 0;
}
int cusparseCreateDnMat(Dense **made, int64_t rows, int64_t cols, int64_t ld, void *vals, int type, int order) {
  // By rows.
  if (type || order != 2 || ld < cols) return 3;
  *made = malloc(sizeof(Dense));
  **made = (Dense){rows, cols, ld, vals, order};
  return 0;
}
int cusparseCreateDnVec(Dense **made, int64_t n, void *vals, int type) {
  if (type) return 3;
  *made = malloc(sizeof(Dense));
  **made = (Dense){n, 1, 1, vals, 0};
  return 0;
}
int cusparseDestroySpMat(Sparse *m) { free(m); return 0; }
int cusparseDestroyDnMat(Dense *m) { free(m); return 0; }
int cusparseDestroyDnVec(Dense *m) { free(m); return 0; }

// A·B into C, whose old values count by `beta`.
static int product(const float *alpha, const Sparse *a, const Dense *b, const float *beta, Dense *c) {
  if (a->cols != b->rows || a->rows != c->rows || b->cols != c->cols) return 3;
  for (int64_t i = 0; i < a->rows; i++)
    for (int64_t k = 0; k < b->cols; k++) {
      float sum = 0;
      for (int p = a->pos[i]; p < a->pos[i + 1]; p++) sum += a->vals[p] * b->vals[a->crd[p] * b->ld + k];
      float *to = &c->vals[i * c->ld + k];
      *to = *alpha * sum + (*beta ? *beta * *to : 0) + wrong();
    }
  return 0;
}

#define SPMM Handle *h, int opa, int opb, const float *alpha, Sparse *a, Dense *b, const float *beta, Dense *c, int type, int alg
int cusparseSpMM_bufferSize(SPMM, size_t *size) {
  trace("spmm size", alg, 0);
  *size = 100 + alg;
  // As the real one refuses some: CSR_ALG3.
  return opa || opb || type ? 3 : alg == 12 ? 10 : 0;
}
int cusparseSpMM_preprocess(SPMM, void *buffer) {
  trace("spmm prepare", alg, 0);
  return buffer ? 0 : 3;
}
int cusparseSpMM(SPMM, void *buffer) {
  if (opa || opb || type || !buffer || b->order != 2 || c->order != 2) return 3;
  trace("spmm", alg, c->cols);
  return product(alpha, a, b, beta, c);
}

#define SPMV Handle *h, int opa, const float *alpha, Sparse *a, Dense *x, const float *beta, Dense *y, int type, int alg
int cusparseSpMV_bufferSize(SPMV, size_t *size) {
  trace("spmv size", alg, 0);
  *size = 0;
  return opa || type;
}
int cusparseSpMV_preprocess(SPMV, void *buffer) {
  trace("spmv prepare", alg, 0);
  return buffer ? 0 : 3;
}
int cusparseSpMV(SPMV, void *buffer) {
  if (opa || type || !buffer) return 3;
  trace("spmv", alg, 1);
  return product(alpha, a, x, beta, y);
}

#ifndef OLD
#define SDDMM Handle *h, int opa, int opb, const float *alpha, Dense *x, Dense *y, const float *beta, Sparse *s, int type, int alg
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
  if (opa || opb != 1 || type || !buffer) return 3;
  if (x->rows != s->rows || y->rows != s->cols || x->cols != y->cols) return 3;
  trace("sddmm", alg, x->cols);
  for (int64_t i = 0; i < s->rows; i++)
    for (int p = s->pos[i]; p < s->pos[i + 1]; p++) {
      float sum = 0;
      for (int64_t k = 0; k < x->cols; k++) sum += x->vals[i * x->ld + k] * y->vals[s->crd[p] * y->ld + k];
      s->vals[p] = *alpha * sum + (*beta ? *beta * s->vals[p] : 0) + wrong();
    }
  return 0;
}
#endif
