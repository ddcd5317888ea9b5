/** Maximum size of the files of one archive, and of a request with one. */
export const ARCHIVE_BYTES = 50 * 1024 * 1024

/** Maximum number of files in one archive. */
export const MAX_FILES = 20_000
