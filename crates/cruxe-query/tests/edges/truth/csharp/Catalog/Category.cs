namespace Shop.Catalog;

public enum Category { Food, Tools, Books }

public enum Shade { Food, Dark }
