/*
 * Imported before everything else. Node runs native work (commits of the embedded stream, decompression, files) on four
 * threads unless told otherwise before the first of it: four large bodies would then hold up the commits.
 */
process.env.UV_THREADPOOL_SIZE ??= '16'
