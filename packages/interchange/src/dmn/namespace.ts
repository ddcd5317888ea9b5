/** The model namespace of DMN 1.3. */
export const DMN_13 = 'https://www.omg.org/spec/DMN/20191111/MODEL/'
