"""Where the weights of a sentence can come from.

Every source turns tokens into a list of layers, and each layer is a tuple of heads: one
``AttentionTrace`` a head, so whatever can show one head can show a sentence.

* A table of made-up weights (``attention_core.examples``, "cat_table").
* ``kinds``: hand-built. Each token has a kind, and a table says which kind seeks which.
* ``model``: trained by this project (``train``) on sentences that ``grammar`` makes up. The last layer was
  told where to look, the first one was not.
* ``recorded``: weights of all-MiniLM-L6-v2, stored for some sentences.
* ``minilm``: the same model computing live, where its files are installed.
* Random vectors, to see that noise looks meaningful too.

``tokenise`` cuts a text into tokens: words, Korean particles, characters, bytes; ``bpe`` learns its pieces
from the text itself.
"""
