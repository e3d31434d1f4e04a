/*
 * Imported before everything else. Node runs native work (queries of the embedded engine, commits of the embedded
 * stream, decompression, files) on four threads unless told otherwise before the first of it: four slow queries would
 * then hold up the writer and the receiver.
 */
process.env.UV_THREADPOOL_SIZE ??= '16'
