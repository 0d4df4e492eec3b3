import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const SRC = join(__dirname, '../../src');

/** A file of the program. */
export interface Source {
  /** Relative to `src`, with slashes. */
  path: string;
  text: string;
}

/** Reads every file of the program. */
export function sources(): Source[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));
}

export function syntaxOf({ path, text }: Source): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** An import of a file: the path of a source, or the name of a package. */
export interface Import {
  from: string;
  to: string;
  /** Whether it is `import type`, which does not exist at run time. */
  typeOnly: boolean;
  /** As the other file exports them. */
  names: string[];
}

export function importsOf(source: Source): Import[] {
  const imports: Import[] = [];
  const add = (specifier: string, typeOnly: boolean, names: string[]): void => {
    const to =
      specifier.startsWith('.') && !specifier.endsWith('.json')
        ? `${normalize(join(dirname(source.path), specifier.replace(/\.ts$/, '')))}.ts`
        : specifier;
    imports.push({ from: source.path, to, typeOnly, names });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const bindings = node.importClause?.namedBindings;
      const names =
        bindings && ts.isNamedImports(bindings)
          ? bindings.elements.map(({ name, propertyName = name }) => propertyName.text)
          : [];
      add(node.moduleSpecifier.text, node.importClause?.isTypeOnly ?? false, names);
    } else if (
      ts.isExportDeclaration(node) &&
      node.moduleSpecifier &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      add(node.moduleSpecifier.text, node.isTypeOnly, []);
    } else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        node.expression.getText() === 'require') &&
      node.arguments[0] &&
      ts.isStringLiteral(node.arguments[0])
    ) {
      add(node.arguments[0].text, false, []);
    }
    ts.forEachChild(node, visit);
  };
  visit(syntaxOf(source));
  return imports;
}
