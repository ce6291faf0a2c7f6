"""The picture of a key, in the languages of Graphviz and Mermaid, and drawn as SVG."""
