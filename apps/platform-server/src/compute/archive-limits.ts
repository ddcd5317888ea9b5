/** Bytes of the files of one archive, and of a request with one. */
export const ARCHIVE_BYTES = 50 * 1024 * 1024

/** Files of one archive. */
export const MAX_FILES = 20_000
