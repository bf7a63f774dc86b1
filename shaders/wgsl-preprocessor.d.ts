declare module 'wgsl-preprocessor/wgsl-preprocessor.js' {
  /** Template tag with #if ${value}, #elif ${value}, #else and #endif. */
  export function wgsl(strings: TemplateStringsArray, ...values: unknown[]): string;
}
