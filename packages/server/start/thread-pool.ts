/**
 * Imported before everything else. By default Node runs native work (commits of the embedded stream, decompression,
 * files) on four threads, and the number cannot change after the first use: four large bodies would then delay the
 * commits.
 */
process.env.UV_THREADPOOL_SIZE ??= '16'
