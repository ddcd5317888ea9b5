/** The npm organization of the published packages. A placeholder: inside the repository packages have this scope in any case. */
export const SCOPE = '@engine'
