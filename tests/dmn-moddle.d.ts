/** The part of dmn-moddle that tests use; the package has no types. */
declare module 'dmn-moddle' {
  export class DmnModdle {
    /** Reads a document by the metamodel of DMN 1.3. What the metamodel does not have is in `warnings`; throws for no XML. */
    fromXML(document: string, type: 'dmn:Definitions'): Promise<{ readonly warnings: readonly Error[] }>
  }
}
